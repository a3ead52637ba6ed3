// geth-reader datasets: lists what can be exported, with columns and types.
import { Command, Option } from 'commander'
import { type ColumnSchema, chooseDataset, columnSchemas, datasetsOf } from '../datasets/choose-dataset.js'
import type { Dataset } from '../datasets/dataset.js'

export function datasetsCommand(): Command {
  return new Command('datasets')
    .description('List the datasets that can be exported, with their columns and types')
    .argument('[dataset...]', 'only these')
    .addOption(
      new Option('--schema <name>', 'etl: the tables of ethereum-etl').choices(columnSchemas).default('cryo'),
    )
    .addOption(new Option('--json', 'as one JSON array'))
    .addHelpText('after', '\n* is a column that is not exported by default, ? one that may be null.')
    .action((names: string[], { schema, json = false }: { schema: ColumnSchema; json?: boolean }) => {
      const listed =
        names.length === 0
          ? datasetsOf(schema)
          : names.map((name) => chooseDataset(name, { schema, events: [] }))
      console.log(json ? JSON.stringify(listed.map(describeDataset)) : listed.map(formatDataset).join('\n\n'))
    })
}

/** The options of `export` that give the arguments of datasets of state. */
const optionNames = {
  address: '--address',
  slot: '--slot',
  contract: '--contract',
  callData: '--call-data',
} as const

function describeDataset({ name, doc, sortedBy, selectedBy, columns }: Dataset) {
  return {
    name,
    description: doc,
    sorted_by: sortedBy,
    ...(selectedBy && { needs: selectedBy.map((argument) => optionNames[argument]) }),
    columns: columns.map(({ name, type, isNullable, isDefault, doc }) => ({
      name,
      type,
      nullable: isNullable,
      default: isDefault,
      description: doc,
    })),
  }
}

function formatDataset({ name, doc, sortedBy, selectedBy = [], columns }: Dataset): string {
  const rows = columns.map(({ name, type, isNullable, isDefault, doc }) => {
    const marked = `${name}${isDefault ? '' : '*'}${isNullable ? '?' : ''}`
    return `  ${marked.padEnd(28)} ${type.padEnd(7)} ${doc}`
  })
  const needs = selectedBy.map((argument) => optionNames[argument])
  const needed = needs.length > 0 ? `; needs ${needs.join(' and ')}` : ''
  return [`${name}: ${doc}, sorted by ${sortedBy.join(', ')}${needed}`, ...rows].join('\n')
}
