/**
 * Deadlines of the first workspace: calculated when they are entered, some verified by the other of the two users.
 */
type DemoDeadline = {
  /** The index of its case in `cases`. */
  case: number
  title: string
  /** How many days ago the event was. */
  servedDaysAgo: number
  preset: string
  create_vorfrist?: boolean
  /** The colleague has entered it; otherwise the owner. */
  isOfColleague?: boolean
  isVerified?: boolean
}

export const deadlines: readonly DemoDeadline[] = [
  {
    case: 9,
    title: 'Berufung gegen das Urteil des LG München I',
    servedDaysAgo: 9,
    preset: 'zpo_berufung',
    isVerified: true,
  },
  {
    case: 9,
    title: 'Berufungsbegründung gegen das Urteil des LG München I',
    servedDaysAgo: 9,
    preset: 'zpo_berufungsbegruendung',
    create_vorfrist: true,
  },
  {
    case: 12,
    title: 'Berufungsbegründung gegen das Urteil des AG München',
    servedDaysAgo: 5,
    preset: 'zpo_berufungsbegruendung',
    create_vorfrist: true,
    isOfColleague: true,
  },
  {
    case: 7,
    title: 'Klage gegen die Nutzungsuntersagung',
    servedDaysAgo: 4,
    preset: 'vwgo_klage_ohne_vorverfahren',
    create_vorfrist: true,
  },
]
