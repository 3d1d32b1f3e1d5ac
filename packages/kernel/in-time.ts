/**
 * Returns the result of `work`, or the result of `late` if `work` has not ended within this time. Then `work` continues
 * in the background, and its failure is ignored.
 *
 * @throws what `work` throws within the time, or what `late` throws
 */
export async function inTime<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Result,
): Promise<Result> {
  const { promise: timeIsOver, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  try {
    return await Promise.race([work, timeIsOver.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
