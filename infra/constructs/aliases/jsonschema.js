/**
 * Stands in for the validator that ElectroDB checks a model with when the model is made. The tests make every model
 * with the real validator, so a function that starts does not check its models again.
 */
export class Validator {
  addSchema() {}

  validate() {
    return { valid: true, errors: [] }
  }
}

Validator.prototype.customFormats = {}
