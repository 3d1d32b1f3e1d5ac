/** The longest run. A case with thousands of records needs minutes, and the claim of a disposal lasts longer. */
export const disposalSeconds = 900
