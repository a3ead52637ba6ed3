import { describe, expect, it } from 'vitest'
import {
  type ErrorCode,
  errorCodes,
  errorFromPlain,
  errorToPlain,
  GethReaderError,
  isSystemError,
  withoutStack,
  withStackFromHere,
} from '../src/errors.js'

describe('errors across threads', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])('%s keeps class, code, facts and cause', (code) => {
    const error = new GethReaderError(code, 'what happened', {
      table: 'headers',
      block: 7n,
      offset: 12,
      cause: new RangeError('inner'),
    })
    const rebuilt = errorFromPlain(structuredClone(errorToPlain(error)))
    expect(rebuilt).toBeInstanceOf(GethReaderError)
    expect(rebuilt).toMatchObject({
      code,
      message: 'what happened',
      facts: { table: 'headers', block: 7n, offset: 12 },
    })
    expect(rebuilt.cause).toBeInstanceOf(RangeError)
    expect(rebuilt.stack).toBe(error.stack)
  })

  it.each([TypeError, RangeError])('%o stays what it was', (Class) => {
    const rebuilt = errorFromPlain(structuredClone(errorToPlain(new Class('wrong'))))
    expect(rebuilt).toBeInstanceOf(Class)
    expect(rebuilt.message).toBe('wrong')
  })

  it('keeps the name of a class it does not know', () => {
    const foreign = Object.assign(new Error('x'), { name: 'AbortError' })
    expect(errorFromPlain(structuredClone(errorToPlain(foreign)))).toMatchObject({
      name: 'AbortError',
      message: 'x',
    })
  })

  it('keeps the code of an error of the system', () => {
    const failed = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', syscall: 'write' })
    const rebuilt = errorFromPlain(structuredClone(errorToPlain(failed)))
    expect(rebuilt).toMatchObject({ message: 'EIO: i/o error, write', code: 'EIO', syscall: 'write' })
    expect(isSystemError(rebuilt)).toBe(true)
  })

  it('takes a thrown value that is no error', () => {
    expect(errorFromPlain(errorToPlain('text')).message).toBe('text')
  })
})

describe('an error that is an answer', () => {
  it('has no stack; a fault that comes after it has one', () => {
    const { stackTraceLimit } = Error
    const answer = withoutStack(() => new GethReaderError('CALL_REVERTED', 'execution reverted'))
    expect(answer.stack).toBe('GethReaderError: execution reverted')
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
    expect(new GethReaderError('DAMAGED', 'a block').stack).toContain('errors.test.ts')
  })

  it('gets the stack of the place where it leaves the library, a fault keeps its own', () => {
    const answer = withoutStack(() => new GethReaderError('CALL_REVERTED', 'execution reverted'))
    expect(withStackFromHere(answer)).toBe(answer)
    expect(answer.stack).toMatch(/^GethReaderError: execution reverted\n {4}at .*errors\.test\.ts/)
    const fault = new GethReaderError('DAMAGED', 'a block')
    const { stack } = fault
    withStackFromHere(fault)
    expect(fault.stack).toBe(stack)
  })

  it('leaves stacks as they were if it cannot be made', () => {
    const { stackTraceLimit } = Error
    const fail = () => {
      throw new RangeError('no')
    }
    expect(() => withoutStack(fail)).toThrow('no')
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  })
})
