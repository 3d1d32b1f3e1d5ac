/** The filters that are given, or the same fields of a record: texts or booleans. */
type Values<Field extends string> = { [Name in Field]?: unknown }

export type FilterPlan<Field extends string> = ReturnType<typeof filterPlan<Field>>

/**
 * How a list is filed under its filters: under each field alone, and under each group of fields as a whole. So a filter is a
 * range of one term, and what that term leaves open is filtered on the way. The groups stand in the order of preference.
 *
 * @param groups `[['case_id'], ['user_id', 'billable']]` gives `case=…`, `user=…`, `billable=…` and `user=… billable=…`
 */
export function filterPlan<const Field extends string>(groups: readonly (readonly Field[])[]) {
  const fields = groups.flat()

  /** The terms of these values, one for each group of which a field is given. */
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
