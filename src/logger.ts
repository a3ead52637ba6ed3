// The logger that the library and the service write to: pino's shape, so that pino or anything like it fits.

/** Structured logger; a pino logger is one. Fields never hold keys, URLs of partners or arguments of requests. */
export interface Logger {
  /** Details of normal work, such as each request. */
  debug(fields: object, message: string): void
  /** What an operator wants to know, such as slow requests. */
  info(fields: object, message: string): void
  /** What may need attention, such as damage in the directory. */
  warn(fields: object, message: string): void
  /** What failed. */
  error(fields: object, message: string): void
  /** If present, no line is made for a level that is off. */
  isLevelEnabled?(level: string): boolean
}

const ignore = () => {}

/** Writes nothing. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  isLevelEnabled: () => false,
}

/** Throws TypeError if a value is not a logger. */
export function checkLogger(value: Logger): void {
  const names = ['debug', 'info', 'warn', 'error'] as const
  const missing = names.find((name) => typeof value?.[name] !== 'function')
  if (missing !== undefined) {
    throw new TypeError(`logger: expected the methods ${names.join(', ')} of pino, got none named ${missing}`)
  }
}
