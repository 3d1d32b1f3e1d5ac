import * as asn1js from 'asn1js'
import { AttributeTypeAndValue, RelativeDistinguishedNames } from 'pkijs'

/**
 * A distinguished name for a certificate, with its parts in this order. pkijs alone would write all parts into one set.
 * `country` is two capital letters.
 */
export function distinguishedName(subject: {
  country?: string
  organization: string
  commonName: string
}): RelativeDistinguishedNames {
  const { country, organization, commonName } = subject
  const parts = [
    ...(country ? [part('2.5.4.6', new asn1js.PrintableString({ value: country }))] : []),
    part('2.5.4.10', new asn1js.Utf8String({ value: organization })),
    part('2.5.4.3', new asn1js.Utf8String({ value: commonName })),
  ]
  return RelativeDistinguishedNames.fromBER(new asn1js.Sequence({ value: parts }).toBER())
}

function part(type: string, value: asn1js.Utf8String | asn1js.PrintableString): asn1js.Set {
  return new asn1js.Set({ value: [new AttributeTypeAndValue({ type, value }).toSchema()] })
}
