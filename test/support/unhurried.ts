/** Limits of a sweep that only a hanging test reaches, even on a busy machine. */
export const unhurried = { milliseconds: 600_000, jobMilliseconds: 120_000 }
