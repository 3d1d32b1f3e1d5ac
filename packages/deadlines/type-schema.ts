import * as z from 'zod'

/**
 * The kinds of deadline, in the order of a chain (F3). Apart from the other schemas: the store needs the list, and a
 * function that reads deadlines from the store should not load their schemas and presets for it.
 */
export const fristTypes = ['vorfrist', 'hauptfrist', 'nachfrist'] as const

export type FristType = (typeof fristTypes)[number]

export const FristType = z.enum(fristTypes)
