/**
 * A name of Node's `X509Certificate` in one line. Node has a line for each part; a name without parts is undefined,
 * contrary to its type.
 */
export function certificateName(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ')
}
