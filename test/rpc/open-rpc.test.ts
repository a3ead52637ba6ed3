// The OpenRPC document against its meta-schema, and its schemas against what geth was asked and answered.
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject } from 'ajv'
import { describe, expect, it } from 'vitest'
import { rpcErrors } from '../../src/rpc/error-table.js'
import { methods } from '../../src/rpc/methods/registry.js'
import { listFixtures, readTranscripts } from '../fixtures.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { fakeBackend, patientContext } from './fake-backend.js'

// Its types lack what it exports.
const { openrpcDocument: metaSchema } = createRequire(import.meta.url)('@open-rpc/meta-schema') as {
  openrpcDocument: Record<string, unknown>
}

const draft7 = 'http://json-schema.org/draft-07/schema#'

interface Descriptor {
  readonly name: string
  readonly schema: object
  readonly required?: boolean
}

interface Document {
  readonly methods: readonly {
    readonly name: string
    readonly summary: string
    readonly params: readonly Descriptor[]
    readonly result: Descriptor
  }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly errors: Readonly<Record<string, { readonly code: number }>>
  }
}

const request = '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'
const answer = await new TestDispatcher(fakeBackend()).handle(request, patientContext)
const document: Document = JSON.parse(answer!).result

/** The two names by which OpenRPC refers to JSON Schema: as a whole, and one place inside of it. */
const jsonSchemas = [
  { $id: 'https://meta.json-schema.tools', anyOf: [{ type: 'boolean' }, { $ref: draft7 }] },
  {
    $id: 'https://meta.json-schema.tools/',
    definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } },
  },
]

/** Recorded requests with arguments that geth takes although the schemas do not: spellings that nobody should use. */
const lenient: readonly string[] = [
  'eth_call data-empty-string-is-empty',
  'eth_call override-block-old-name-of-base-fee-is-ignored',
  'eth_call unknown-members-are-ignored',
  'eth_call value-empty-string-is-zero',
  'eth_createAccessList data-empty-string-is-empty-funded',
  'eth_createAccessList unknown-members-are-ignored-funded',
  'eth_createAccessList value-empty-string-is-zero-funded',
  'eth_estimateGas data-empty-string-is-empty',
  'eth_estimateGas override-block-old-name-of-base-fee-is-ignored',
  'eth_estimateGas unknown-members-are-ignored',
  'eth_estimateGas value-empty-string-is-zero',
  'eth_getBlockByNumber capital-prefix-and-digits',
  'eth_getLogs capital-hex',
  'eth_getLogs null-among-alternatives-is-a-wildcard',
  'eth_getLogs unknown-members-are-ignored',
  'eth_getProof key-null',
  'eth_getTransactionByBlockHashAndIndex capital-digits-with-prefix',
  'eth_getTransactionByBlockNumberAndIndex index-empty-string-means-zero',
]

describe('the document of rpc.discover', () => {
  it('is valid by the meta-schema of OpenRPC', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    ajv.addSchema(jsonSchemas)
    const { $schema: _, ...schema } = metaSchema
    const validate = ajv.compile(schema)
    validate(document)
    expect(validate.errors).toBeNull()
    expect(validate({ ...document, methods: [{ name: 'no parameters' }] })).toBe(false)
  })

  it('names every method, with its parameters in order, and every error', () => {
    expect(document.methods.map(({ name, params }) => [name, params.length])).toEqual(
      Array.from(methods, ([name, { parameters }]) => [name, parameters.length]),
    )
    expect(Object.keys(document.components.errors)).toEqual(Object.keys(rpcErrors))
  })

  it('marks a parameter as required if its absence is an error', async () => {
    const dispatcher = new TestDispatcher(fakeBackend())
    for (const { name, params } of document.methods) {
      const first = params.findIndex(({ required }) => required !== true)
      const count = first === -1 ? params.length : first
      expect(params.slice(count).every(({ required }) => required === false)).toBe(true)
      // Subscriptions have arguments only over a transport that carries notifications.
      if (count === 0 || name.endsWith('_subscribe')) continue
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: [] })
      expect(await dispatcher.handle(text, patientContext)).toContain(
        '"message":"missing value for required argument 0"',
      )
    }
  })
})

describe('its schemas', () => {
  const ajv = new Ajv({ allErrors: true, keywords: ['components'] })
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
  const compile = ({ schema }: Descriptor) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))
  const validators = new Map(
    document.methods.map(({ name, params, result }) => [
      name,
      { params: params.map(compile), result: compile(result) },
    ]),
  )
  const recordings = listFixtures()
    .filter(({ cases }) => cases > 0)
    .flatMap(({ name }) => readTranscripts(name))
    .filter(({ response }) => 'result' in response)

  it('allow every result that geth gave', () => {
    expect(new Set(recordings.map(({ method }) => method)).size).toBeGreaterThan(15)
    const differences: [string, string, ErrorObject[]][] = []
    for (const { method, name, response } of recordings) {
      const { result } = validators.get(method)!
      if (!result(response['result'])) differences.push([method, name, result.errors!.slice(0, 3)])
    }
    expect(differences).toEqual([])
  })

  it('allow every argument that geth took, except lenient spellings', () => {
    const refused = new Set<string>()
    for (const { method, name, request } of recordings) {
      const { params } = validators.get(method)!
      const isAllowed = (value: unknown, i: number) => value === null || params[i]!(value)
      if (!(request.params as unknown[]).every(isAllowed)) refused.add(`${method} ${name}`)
    }
    expect([...refused].sort()).toEqual(lenient)
  })
})
