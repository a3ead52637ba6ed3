// What is wrong with a config. Apart from service-config.ts, so that a thread with a checked config does not load the checks.

/** One thing wrong with a config. */
export interface ConfigMistake {
  /** `plans.free.logs.maxResults`, `keys[2].plan`; empty for the whole. */
  readonly path: string
  /** What is wrong with it. */
  readonly text: string
}

/**
 * A config that cannot be used, with all that is wrong with it.
 *
 * @example
 * ```ts
 * try {
 *   parseServiceConfig('{ "keys": [{ "key": "k1", "plan": "none" }] }')
 * } catch (error) {
 *   if (error instanceof ConfigError) for (const { path, text } of error.mistakes) console.log(path, text)
 * }
 * ```
 */
export class ConfigError extends TypeError {
  /** Everything that is wrong, not only the first thing. */
  readonly mistakes: readonly ConfigMistake[]

  constructor(mistakes: readonly ConfigMistake[], source = 'config') {
    const lines = mistakes.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`))
    super(lines.length === 1 ? `${source}: ${lines[0]}` : [`${source}:`, ...lines].join('\n  '))
    this.mistakes = mistakes
  }
}
