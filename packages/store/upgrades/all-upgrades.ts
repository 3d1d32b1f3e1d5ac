import { namesAndSides } from './10-names-and-sides.ts'
import type { Upgrade } from './upgrade.ts'

/** Every upgrade, by its number. The last one leads to `tableLayout`. */
export const allUpgrades: readonly Upgrade[] = [namesAndSides]
