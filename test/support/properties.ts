import fc from 'fast-check'

/**
 * fast-check with the same cases in every run, so that a failure is caused by the change under test. Use other cases
 * with `PROPERTY_SEED=<integer>`, and new ones each time with `PROPERTY_SEED=random`.
 */
const { PROPERTY_SEED: seed = '20261123' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

export default fc
