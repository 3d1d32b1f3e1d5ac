/**
 * The domain of the `Message-ID` with which SES replaces ours: `<id@eu-central-1.amazonses.com>`, but
 * `<id@email.amazonses.com>` in us-east-1.
 */
export function messageIdDomain(region = process.env.AWS_REGION ?? 'eu-central-1'): string {
  return region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`
}
