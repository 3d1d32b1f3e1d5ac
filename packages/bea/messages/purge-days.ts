/** The network deletes a message this number of days after its reception (§ 27 RAVPV: 90 days, then 30 in the trash). */
export const purgeDays = 120
