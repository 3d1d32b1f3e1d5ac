/** A person or organization in the directory of the network. */
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
  /** False if the postbox is locked: nobody can log in or send to it. */
  isActive: boolean
}
