// The name under which the service introduces itself.
import { readFileSync } from 'node:fs'
import { packageFile } from '../package-file.js'

let version: string | undefined

/** `geth-reader/v0.1.0/linux-x64/node20.20.2`: name, version, platform and runtime, in geth's form. */
export function clientVersion(): string {
  version ??= `geth-reader/v${packageVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`
  return version
}

/** Version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
