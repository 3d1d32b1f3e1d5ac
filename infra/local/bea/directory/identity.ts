/** Somebody in the directory of the network. */
export type Identity = {
  safeId: string
  kind: 'lawyer' | 'office' | 'court'
  /** As a message shows it. */
  name: string
  firstname: string
  surname: string
  officeName: string
  postalcode: string
  city: string
  userName: string
  /** False where the postbox is locked: nobody logs in, nobody sends to it. */
  isActive: boolean
}
