// Which rows of a table the `where` of a query can let through, as far as a scan can use it: blocks, addresses, topics. DuckDB gives a
// table function no conditions, so they are read in the syntax tree, which DuckDB prints as JSON. DuckDB still tests each
// row, so a condition that is not understood here costs time only; one that is understood must be true for every row of the result.
import { bytesToHex, type Hex, hexToBytes } from '../bytes.js'

/** Which rows a scan must give; it may skip all others. */
export interface WhereFilter {
  /** Both included. */
  readonly firstBlock?: number
  readonly lastBlock?: number
  /** Of an address and topics: the values that they may have. */
  readonly bytes?: Readonly<Record<string, readonly Hex[]>>
}

/** A node of the tree, as far as it is looked at. */
interface Node {
  readonly class?: string
  readonly type?: unknown
  readonly [name: string]: unknown
}

/** The contract of a log, in the tables that are made of logs. */
const contractNames = ['address', 'erc20', 'erc721', 'erc1155']
const topicNames = ['topic0', 'topic1', 'topic2', 'topic3']

/**
 * The filters of the named tables by the output of json_serialize_sql. A table has one if the query names it once, and as a
 * table: another use would need other rows.
 */
export function whereFilters(
  serialized: unknown,
  tables: readonly string[],
): ReadonlyMap<string, WhereFilter> {
  const names: string[] = []
  const selects: Node[] = []
  visit(serialized, (node) => {
    if (node.type === 'BASE_TABLE') names.push(nameOf(node['table_name']))
    if (node.type === 'TABLE_FUNCTION') names.push(...namesOfFunction(node))
    if (node.type === 'SELECT_NODE') selects.push(node)
    if (isNode(node['cte_map'])) names.push(...namesOfCtes(node['cte_map']))
  })
  const filters = new Map<string, WhereFilter>()
  for (const { from_table: table, where_clause: where, sample } of selects) {
    if (!isNode(table) || table.type !== 'BASE_TABLE' || !isNode(where)) continue
    const name = nameOf(table['table_name'])
    // A sample is taken before the condition.
    const isWhole = sample === null && table['sample'] === null
    const isPlain = isWhole && isEmpty(table['column_name_alias']) && table['schema_name'] === ''
    if (!isPlain || !tables.includes(name) || names.filter((other) => other === name).length !== 1) continue
    filters.set(name, filterOf(where, [name, nameOf(table['alias'])]))
  }
  return filters
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names have no case. */
function nameOf(value: unknown): string {
  return String(value).toLowerCase()
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, look)
  if (!isNode(value)) return
  look(value)
  for (const member of Object.values(value)) visit(member, look)
}

function namesOfFunction({ function: call }: Node): string[] {
  return isNode(call) ? [nameOf(call['function_name'])] : []
}

function namesOfCtes({ map }: Node): string[] {
  return Array.isArray(map) ? map.flatMap((entry) => (isNode(entry) ? [nameOf(entry['key'])] : [])) : []
}

/** The filter of a condition about the columns of a table, which may be qualified by its names. */
function filterOf(condition: Node, qualifiers: readonly string[]): WhereFilter {
  const columnOf = (node: unknown): string | undefined => {
    if (!isNode(node) || node.class !== 'COLUMN_REF') return undefined
    const parts = (node['column_names'] as readonly string[]).map(nameOf)
    if (parts.length === 1) return parts[0]
    return parts.length === 2 && qualifiers.includes(parts[0]!) ? parts[1] : undefined
  }
  let first = 0
  let last = Number.POSITIVE_INFINITY
  const bytes = new Map<string, readonly Hex[]>()
  for (const part of conjuncts(condition)) {
    const range = blockRange(part, columnOf)
    if (range) {
      first = Math.max(first, range.first)
      last = Math.min(last, range.last)
    }
    const equal = equalBytes(part, columnOf)
    if (equal && !bytes.has(equal.column)) bytes.set(equal.column, equal.values)
  }
  const contract = contractNames.map((name) => bytes.get(name)).find((values) => values)
  const given = Object.entries({
    address: contract,
    ...Object.fromEntries(topicNames.map((name) => [name, bytes.get(name)])),
  }).flatMap(([name, values]) => (values ? [[name, values] as const] : []))
  return {
    ...(first > 0 && { firstBlock: first }),
    ...(last !== Number.POSITIVE_INFINITY && { lastBlock: last }),
    ...(given.length > 0 && { bytes: Object.fromEntries(given) }),
  }
}

/** The conditions that must all be true. */
function conjuncts(node: Node): Node[] {
  if (node.type !== 'CONJUNCTION_AND') return [node]
  return (node['children'] as readonly Node[]).flatMap(conjuncts)
}

type ColumnOf = (node: unknown) => string | undefined

/** The blocks of a comparison of the block number with an integer, or two. */
function blockRange(node: Node, columnOf: ColumnOf): { first: number; last: number } | undefined {
  const [lowest, highest] = [0, Number.POSITIVE_INFINITY]
  if (node.type === 'COMPARE_BETWEEN') {
    const [lower, upper] = [integerOf(node['lower']), integerOf(node['upper'])]
    if (columnOf(node['input']) !== 'block_number' || lower === undefined || upper === undefined)
      return undefined
    return { first: lower, last: upper }
  }
  const value = integerOf(node['right'])
  if (value === undefined || columnOf(node['left']) !== 'block_number') return undefined
  switch (node.type) {
    case 'COMPARE_EQUAL':
      return { first: value, last: value }
    case 'COMPARE_GREATERTHANOREQUALTO':
      return { first: value, last: highest }
    case 'COMPARE_GREATERTHAN':
      return { first: value + 1, last: highest }
    case 'COMPARE_LESSTHANOREQUALTO':
      return { first: lowest, last: value }
    case 'COMPARE_LESSTHAN':
      return { first: lowest, last: value - 1 }
    default:
      return undefined
  }
}

/** The bytes that a column must be, by `=` or `in`. */
function equalBytes(node: Node, columnOf: ColumnOf): { column: string; values: readonly Hex[] } | undefined {
  const children = node.type === 'COMPARE_EQUAL' ? [node['left'], node['right']] : node['children']
  if (node.type !== 'COMPARE_EQUAL' && node.type !== 'COMPARE_IN') return undefined
  if (!Array.isArray(children)) return undefined
  const [tested, ...constants] = children
  const column = columnOf(tested)
  if (column === undefined || constants.length === 0) return undefined
  const length = contractNames.includes(column) ? 20 : topicNames.includes(column) ? 32 : undefined
  if (length === undefined) return undefined
  const values = constants.map(bytesOf)
  // Others can be equal to no value of the column; DuckDB says so.
  if (!values.every((value) => value?.length === length)) return undefined
  return { column, values: values.map((value) => bytesToHex(value!)) }
}

/** A constant whose type has such a name. */
function constantOf(node: unknown, typeName: RegExp): unknown {
  if (!isNode(node) || node.class !== 'CONSTANT' || !isNode(node['value'])) return undefined
  const { type, is_null: isNull, value } = node['value']
  return isNull === false && isNode(type) && typeName.test(String(type['id'])) ? value : undefined
}

function integerOf(node: unknown): number | undefined {
  const value = constantOf(node, /^U?(TINY|SMALL|BIG)?INT(EGER)?$/)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

/** The bytes of `unhex('…')` or `from_hex('…')`. */
function bytesOf(node: unknown): Uint8Array | undefined {
  if (!isNode(node) || node.class !== 'FUNCTION') return undefined
  if (node['function_name'] !== 'unhex' && node['function_name'] !== 'from_hex') return undefined
  const [argument, ...others] = node['children'] as readonly unknown[]
  const text = constantOf(argument, /^VARCHAR$/)
  const isHex = typeof text === 'string' && /^([0-9a-fA-F]{2})*$/.test(text)
  return isHex && others.length === 0 ? hexToBytes(`0x${text}`) : undefined
}
