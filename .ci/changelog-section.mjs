// Prints the section of CHANGELOG.md of one version, for the notes of a release. Fails if there is none, or an empty one.
import { readFileSync } from 'node:fs'

const [version] = process.argv.slice(2)
const text = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
const sections = text.split(/^## /m).slice(1)
const section = sections.find((section) => section.split(/\s/, 1)[0] === version)
const notes = section?.slice(section.indexOf('\n')).trim()
if (!notes) {
  console.error(`CHANGELOG.md has no section "## ${version}"`)
  process.exit(1)
}
console.log(notes)
