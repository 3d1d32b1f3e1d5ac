/** Days after its reception at which the network deletes a message (§ 27 RAVPV: 90 days, then 30 in the trash). */
export const purgeDays = 120
