// Runs `geth-reader serve` on the directory in a process of its own, because geth is one too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'
import { abortError } from '../../stop.js'
import type { DatadirFlags } from '../datadir-options.js'
import { CommandFailure } from '../exit.js'

/** A server that runs until it is disposed. */
interface OwnServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

interface OwnServerFlags extends DatadirFlags {
  readonly 'http.api'?: string
}

/** Starts a server on a free port of this machine. Throws its error text if it does not start. */
export async function startOwnServer(flags: OwnServerFlags, signal: AbortSignal): Promise<OwnServer> {
  const program = fileURLToPath(packageFile('dist/cli.js'))
  // If requests run out and are asked again, the responses are made again.
  const args = ['serve', '--http.port', '0', '--cache.answers', '0', ...serverArguments(flags)]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await exited
  }
  let said = ''
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (data: Buffer) => {
        said += data.toString('utf8')
        const [, url] = /serving .* on (http:\S+)/.exec(said) ?? []
        if (url !== undefined) resolve(url)
      })
      child.once('error', reject)
      child.once('exit', () => reject(new CommandFailure(`the server did not start: ${said.trim()}`)))
      signal.addEventListener('abort', () => reject(abortError(signal)), { once: true })
    })
    return { url, pid: child.pid!, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function serverArguments({
  datadir,
  'datadir.ancient': ancient,
  workers,
  cache,
  head,
  'http.api': api,
}: OwnServerFlags): string[] {
  const flags = { datadir, 'datadir.ancient': ancient, workers, cache, head, 'http.api': api }
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
}
