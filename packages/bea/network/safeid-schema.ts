/**
 * The beginnings of SAFE-IDs of older forms, for a regular expression: `govello-…`, `safe-sp1-…`. Many courts still have
 * one, and so have some authorities and citizens.
 */
export const olderSafeIds = 'govello-|safe-sp\\d+-'

/**
 * The beginning of SAFE-IDs in the judiciary's directory, for a regular expression: `DE.Justiz.…`, and
 * `DE.Justiztest.…` in the test network. Courts and prosecutors have them, and so may authorities and organisations that
 * are registered there.
 */
export const judiciarySafeIds = 'de\\.justiz[\\w-]*\\.'
