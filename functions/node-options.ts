/**
 * For functions that stream large files or write indexes. The garbage collector frees used bytes sooner: a file of 200
 * MiB takes half the memory, and an index two thirds. `npm run bench` measures it.
 */
export const collectSooner = '--max-semi-space-size=1'

/**
 * For functions that write tables: a library of exceljs creates buffers in a way that makes Node warn once per
 * instance.
 */
export const writeTables = `${collectSooner} --disable-warning=DEP0005`
