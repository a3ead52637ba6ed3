// Names of era files.

/** `NETWORK-EPOCH-…`; the name of the network may have dashes. */
const eraName = /^(.*?)-(\d{5}|[1-9]\d{5,})-.*\.(?:era1|ere)$/

/** Whether a file with this name is an era file. */
export function isEraFile(name: string): boolean {
  return eraName.test(name)
}

/** The network's name in the name of an era file. */
export function networkOfEraFile(name: string): string {
  return eraName.exec(name)?.[1] ?? ''
}

/** The epoch in the name of an era file. */
export function epochOfEraFile(name: string): number {
  return Number(eraName.exec(name)![2])
}
