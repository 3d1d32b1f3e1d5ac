/** Limits of a sweep that only a test that hangs reaches, also on a machine that does ten other things. */
export const unhurried = { milliseconds: 600_000, jobMilliseconds: 120_000 }
