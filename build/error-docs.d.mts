/** What the page says of an error code of the library. */
interface CodeHelp {
  readonly when: string
  readonly what: string
  readonly facts: readonly string[]
  readonly example: string
}
export const codeHelp: Readonly<Record<string, CodeHelp>>
/** What to do about the errors of a JSON-RPC code. */
export const rpcHelp: Readonly<Record<string, string>>
/** The text of docs/errors.md. */
export function errorPage(): string
