/**
 * The beginnings of SAFE-IDs of older forms, for a regular expression: `govello-…`, `safe-sp1-…`. Many courts still have
 * one, and so have some authorities and citizens.
 */
export const olderSafeIds = 'govello-|safe-sp\\d+-'
