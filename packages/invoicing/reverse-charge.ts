import { isVatIdOfOtherCountry } from '#billing/address-schema.ts'
import type { InvoiceTax } from '#billing/schema.ts'
import { decimal } from '#kernel/decimal.ts'

/**
 * Whether the recipient owes the tax (reverse charge, § 14a Abs. 1 UStG): no line is taxed, and the buyer has a VAT
 * id of another country of the EU. If any line is taxed, the lines without tax are expenses that the firm
 * paid for the client (§ 10 Abs. 1 UStG).
 */
export function isReverseCharge(taxes: readonly InvoiceTax[], buyerVatId: string | null): boolean {
  return isVatIdOfOtherCountry(buyerVatId) && taxes.every(({ tax_rate }) => decimal(tax_rate).eq(0))
}
