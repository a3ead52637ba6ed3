/** Each exported name of the package with the declaration file in dist/ that owns it. */
export function publicNames(): Map<string, string>
/** TSDoc and code of a declaration in dist/. */
export function declarationOf(name: string, file: string): { readonly doc: string; readonly code: string }
