/** An answer whose body may be written as it comes. */
export type StreamedAnswer = {
  statusCode: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array> | string
}
