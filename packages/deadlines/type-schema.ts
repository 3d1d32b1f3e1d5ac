import * as z from 'zod'

/**
 * The kinds of deadline, in the order of a chain (F3). It is separate from the other schemas because the store needs
 * this list. A function that reads deadlines from the store should not load all schemas and presets for it.
 */
export const fristTypes = ['vorfrist', 'hauptfrist', 'nachfrist'] as const

export type FristType = (typeof fristTypes)[number]

export const FristType = z.enum(fristTypes)
