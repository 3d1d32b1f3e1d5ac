/** The limits for reading a message and looking up its signals. They bound the reads of the table per mail. */
export const limits = {
  /** Characters of the body, and of the text of each attachment, that are read. */
  body: 60_000,
  attachment: 20_000,
  /** Characters that are read at the end of a longer attachment: the Rechtsbehelfsbelehrung of a decision stands there. */
  attachmentEnd: 10_000,
  /** Attachments whose text is read. */
  attachments: 10,
  /** Characters of an attachment that count as its head: only there may a number be certain. */
  letterHead: 2_500,
  /** Characters of a line; the rest of a longer one is not read. */
  line: 1_000,
  /** Lines of the body, and of each attachment. */
  lines: 2_000,
  subject: 1_000,
  quote: 160,
  sentence: 400,
  messageIds: 12,
  fileNumbers: 8,
  courtReferences: 8,
  names: 10,
  hints: 10,
  suggestions: 5,
  evidence: 8,
} as const
