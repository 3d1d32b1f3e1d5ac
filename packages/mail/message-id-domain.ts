/**
 * SES replaces our `Message-ID`. This is the domain of the new one: `<region>.amazonses.com`, but in us-east-1
 * `email.amazonses.com`.
 */
export function messageIdDomain(region = process.env.AWS_REGION ?? 'eu-central-1'): string {
  return region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`
}
