/** No resource has it. A malformed id is parsed as this one (`idOf`). */
export const nilUuid = '00000000-0000-0000-0000-000000000000'
