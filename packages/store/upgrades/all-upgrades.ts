import { namesAndSides } from './10-names-and-sides.ts'
import { closingTimes } from './11-closing-times.ts'
import { dueDeadlineItems } from './12-due-deadlines.ts'
import { searchMarksUpgrade } from './13-search-marks.ts'
import { deletedRecords } from './14-deleted-records.ts'
import { deletedCases } from './15-deleted-cases.ts'
import { leftCases } from './16-left-cases.ts'
import { deletedDraftsUpgrade } from './17-deleted-drafts.ts'
import { knownAs } from './18-known-as.ts'
import { deletedExports } from './19-deleted-exports.ts'
import { outlivingTexts } from './20-outliving-texts.ts'
import type { Upgrade } from './upgrade.ts'

/** Every upgrade, by its number. The last one leads to `tableLayout`. */
export const allUpgrades: readonly Upgrade[] = [
  namesAndSides,
  closingTimes,
  dueDeadlineItems,
  searchMarksUpgrade,
  deletedRecords,
  deletedCases,
  leftCases,
  deletedDraftsUpgrade,
  knownAs,
  deletedExports,
  outlivingTexts,
]
