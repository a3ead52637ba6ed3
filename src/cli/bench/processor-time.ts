// Processor time of a server on this machine, from /proc. Everything is undefined on other systems than Linux.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** State of a listening socket in /proc/net/tcp. */
const listening = '0A'
/** Clock ticks of /proc: USER_HZ, which is 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/** The process that listens on a local port; undefined if it is not on this machine or belongs to another user. */
export function findListener(port: number): number | undefined {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readText(table).split('\n')) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === listening && local?.endsWith(`:${hexPort}`)) sockets.add(`socket:[${inode}]`)
    }
  }
  return sockets.size === 0 ? undefined : processes().find((pid) => hasOpen(pid, sockets))
}

/** Seconds that all threads of a process and of its children have had a processor; undefined if it does not run. */
export function processorSeconds(pid: number): number | undefined {
  const parents = new Map<number, number>()
  const seconds = new Map<number, number>()
  for (const process of processes()) {
    // The name before the parenthesis may contain spaces.
    const [, ppid, ...fields] = readText(`/proc/${process}/stat`).split(') ')[1]?.split(' ') ?? []
    if (ppid === undefined) continue
    parents.set(process, Number(ppid))
    seconds.set(process, (Number(fields[9]) + Number(fields[10])) / ticksPerSecond)
  }
  if (!seconds.has(pid)) return undefined
  const isOurs = (process: number | undefined): boolean =>
    process !== undefined && (process === pid || isOurs(parents.get(process)))
  return [...seconds].reduce((sum, [process, used]) => (isOurs(process) ? sum + used : sum), 0)
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // Not Linux.
    return []
  }
}

function hasOpen(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`)))
  } catch {
    // It has ended, or belongs to another user.
    return false
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // A process that has ended, or not Linux.
    return ''
  }
}
