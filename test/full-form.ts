// Tests have two forms. `npm test` runs all of them in a short form, `npm run test:full` runs those that import this file
// with every fixture, more rounds and larger numbers.

/** Whether tests run in their full form. */
export const isFull = process.env['GETH_READER_TESTS'] === 'full'
