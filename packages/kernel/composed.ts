/** The maximum number of combining marks in a row in Unicode's stream-safe text format (UAX #15, section 13). */
export const maxMarks = 30

/**
 * The text in NFC, in time that grows with its length. The time of normalising alone grows with the square of the
 * longest run of combining marks: hours for a few megabytes. So each run first gets an invisible grapheme joiner
 * (U+034F) after every 30 marks, as the stream-safe format says.
 */
export function composed(text: string): string {
  let end = -1
  const streamSafe = text.replace(marks, (run, start: number) => {
    const continues = start === end
    end = start + run.length
    return continues ? `\u034f${run}` : run
  })
  return streamSafe.normalize('NFC')
}

/** Without the joiner, because a composed text already has one between the parts of a run. */
const marks = new RegExp(`[\\p{M}--\u034f]{1,${maxMarks}}`, 'gv')

/** Whether a character of the text has more combining marks than the stream-safe format allows. */
export function hasTooManyMarks(text: string): boolean {
  return tooManyMarks.test(text)
}

const tooManyMarks = new RegExp(`\\p{M}{${maxMarks + 1}}`, 'u')
