/** How long a scheduled run or a report may take: as long as a Lambda may run. */
export const exportRunSeconds = 900
