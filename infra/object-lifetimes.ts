/**
 * Objects with these prefixes are removed after so many days, whatever became of them: announced uploads that nobody
 * completed, and messages as they arrived. On AWS the bucket's lifecycle does it.
 */
export const objectLifetimeDays = { 'uploads/': 2, 'received/': 30 } as const
