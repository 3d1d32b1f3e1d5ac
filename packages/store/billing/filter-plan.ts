/** Filters, or the fields of a record that they compare. The values are texts or booleans. */
type Values<Field extends string> = { [Name in Field]?: unknown }

export type FilterPlan<Field extends string> = ReturnType<typeof filterPlan<Field>>

/**
 * The terms that the records of a list are filed under: one for each field, and one for each group of fields. A query
 * reads one term and applies the filters that the term does not cover while it reads.
 *
 * @param groups of fields. A query reads the term of the first group that has a filter. `[['case_id'], ['user_id',
 *   'billable']]` results in `case=…`, `user=…`, `billable=…` and `user=… billable=…`.
 */
export function filterPlan<const Field extends string>(groups: readonly (readonly Field[])[]) {
  const fields = groups.flat()

  /** The terms of these values: one for each group in which at least one field has a value. */
  const termsOf = (values: Values<Field>): string[] =>
    groups.flatMap((group) => {
      const given = group.filter((field) => values[field] !== undefined && values[field] !== null)
      return given.length === 0 ? [] : [termOf(given, values)]
    })

  return {
    termsOf,

    /** Every term under which a record is filed. */
    allTermsOf(record: Values<Field>): string[] {
      const alone = fields.flatMap((field) => termsOf({ [field]: record[field] } as Values<Field>))
      return ['all', ...new Set([...alone, ...termsOf(record)])]
    },

    /** Whether a record passes the filters that are given. */
    passes: (record: Values<Field>, filters: Values<Field>): boolean =>
      fields.every((field) => filters[field] === undefined || record[field] === filters[field]),
  }
}

function termOf<Field extends string>(fields: readonly Field[], values: Values<Field>): string {
  return fields.map((field) => `${field.replace(/_id$/, '')}=${values[field]}`).join(' ')
}
