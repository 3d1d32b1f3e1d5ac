/** ElectroDB without its services and transactions: our functions work with entities alone. */
export { Entity } from '../../../node_modules/electrodb/src/entity.js'
