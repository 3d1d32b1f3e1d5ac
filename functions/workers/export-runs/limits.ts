/** How long a scheduled run may take: as long as a Lambda may run. */
export const exportRunSeconds = 900
