// geth-reader datasets: lists what can be exported, with columns and types.
import { Command, Option } from 'commander'
import type { Dataset } from '../datasets/dataset.js'
import { datasets, findDataset } from '../datasets/dataset-table.js'

export function datasetsCommand(): Command {
  return new Command('datasets')
    .description('List the datasets that can be exported, with their columns and types')
    .argument('[dataset...]', 'only these')
    .addOption(new Option('--json', 'as one JSON array'))
    .addHelpText('after', '\n* is a column that is not exported by default, ? one that may be null.')
    .action((names: string[], { json = false }: { json?: boolean }) => {
      const listed = names.length === 0 ? datasets : names.map(findDataset)
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
