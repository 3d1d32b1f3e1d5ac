import { localVariables } from '#infra/local-variables.ts'

/** The account in the ARNs of this machine. */
export const localAccount = '123456789012'

export function localRegion(): string {
  return process.env.AWS_REGION ?? localVariables.AWS_REGION
}
