// Writes docs/json-rpc.md from the OpenRPC document of the built server, which is made of the method table. `npm run docs` runs it;
// test/rpc-docs.test.ts checks that the page has every method.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { methods } from '../dist/rpc/methods/registry.js'
import { openRpcDocument } from '../dist/rpc/open-rpc.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const document = openRpcDocument(methods)

/** A schema in words. Named ones are links to their row or list below the methods. */
function typeOf(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)
    return `[${name}](#${name.toLowerCase()})`
  }
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ')
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.type === 'array') {
    const { items } = schema
    return items === undefined || Array.isArray(items) ? 'list' : `list of ${typeOf(items)}`
  }
  if (schema.type === 'object' || schema.properties !== undefined) {
    const members = Object.keys(schema.properties ?? {})
    return members.length === 0 ? 'object' : `object with ${members.map((name) => `\`${name}\``).join(', ')}`
  }
  if (schema.type === 'null') return '`null`'
  return (
    schema.title ?? (Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any value'))
  )
}

function describeMethod({ name, summary, params, result }) {
  const rows = params.map(
    ({ name, required, schema }) => `| \`${name}\`${required ? '' : ' (optional)'} | ${typeOf(schema)} |`,
  )
  const table = rows.length === 0 ? [] : [['| parameter | value |', '| --- | --- |', ...rows].join('\n')]
  return [`### ${name}`, `${summary}.`, ...table, `Result: ${typeOf(result.schema)}.`].join('\n\n')
}

function describeSchema(name, schema) {
  const required = new Set(schema.required ?? [])
  const members = Object.entries(schema.properties ?? {}).map(
    ([member, type]) => `| \`${member}\`${required.has(member) ? '' : ' (optional)'} | ${typeOf(type)} |`,
  )
  if (members.length === 0) {
    const pattern = schema.pattern === undefined ? '' : ` \`${schema.pattern}\``
    return [`### ${name}`, `${schema.title ?? typeOf(schema)}${pattern ? `:${pattern}` : ''}.`].join('\n\n')
  }
  const table = ['| member | value |', '| --- | --- |', ...members].join('\n')
  return [`### ${name}`, ...(schema.title === undefined ? [] : [`${schema.title}.`]), table].join('\n\n')
}

const introduction = `# JSON-RPC

Every method of the server, written by \`npm run docs\` from its OpenRPC document, which \`rpc.discover\` returns.
Parameters are given by position. Responses are those of geth 1.17.5; [differences.md](differences.md) lists the exceptions and
[errors.md](errors.md) the errors. \`eth\`, \`net\` and \`web3\` are on, \`--http.api\` and \`--ws.api\` switch the others on.
\`chain.provider\` of the library has the same methods.`

/** The text of docs/json-rpc.md. */
export function rpcPage() {
  const sections = [...byNamespace(document.methods)].flatMap(([namespace, list]) => [
    `## ${namespace}`,
    ...list.map(describeMethod),
  ])
  const types = Object.entries(document.components.schemas).map(([name, schema]) =>
    describeSchema(name, schema),
  )
  return `${[introduction, ...sections, '## Types', ...types].join('\n\n')}\n`
}

function byNamespace(list) {
  const groups = new Map()
  for (const one of list) {
    const namespace = one.name.split(/[._]/)[0]
    groups.set(namespace, [...(groups.get(namespace) ?? []), one])
  }
  return groups
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(root, 'docs/json-rpc.md'), rpcPage())
}
