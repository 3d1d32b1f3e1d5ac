/**
 * Objects with these prefixes are removed after this number of days, whatever happened to them. They are uploads that
 * nobody completed, received messages in their original form, and reports on parties, whose links are valid for 14 days.
 * On AWS the bucket's lifecycle removes them.
 */
export const objectLifetimeDays = { 'uploads/': 2, 'received/': 30, 'reports/': 15 } as const
