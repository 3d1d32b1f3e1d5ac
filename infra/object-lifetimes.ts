/**
 * Objects with these prefixes are removed after this number of days in every case: announced uploads that nobody
 * completed, and received messages in their original form. On AWS the bucket's lifecycle removes them.
 */
export const objectLifetimeDays = { 'uploads/': 2, 'received/': 30 } as const
