/** An answer whose body may be a stream. */
export type StreamedAnswer = {
  statusCode: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array> | string
}
