import type { Stage } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'
import { errorEnvelope, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'

/**
 * Rules of AWS's common set that only count. Bodies here are documents, mails and HTML, which normally contain what
 * these rules look for; the first rule would refuse every upload above 8 KB. Programs may call the API without a user
 * agent.
 */
const countedRules = [
  'SizeRestrictions_BODY',
  'CrossSiteScripting_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'EC2MetaDataSSRF_BODY',
  'NoUserAgent_HEADER',
]

const tooManyRequests = 'too-many-requests'
const requestId = 'firewall'

/**
 * The web application firewall in front of a stage of the API: a limit per address, AWS's list of bad addresses and
 * AWS's common rules. WAF cannot fill a request id into its own answer, so the answer holds a constant; the header
 * `x-amzn-requestid` identifies the request.
 */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { name: string; requestsPerMinuteAndAddress: number; protects: Stage },
  ) {
    super(scope, id)
    const tooMany = gatewayAnswers.tooManyFromAddress
    const acl = new CfnWebACL(this, 'Acl', {
      name: props.name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(props.name),
      customResponseBodies: {
        [tooManyRequests]: {
          contentType: 'APPLICATION_JSON',
          content: errorEnvelope(tooMany, requestId),
        },
      },
      rules: [
        {
          name: 'requests-per-address',
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: 60,
              limit: props.requestsPerMinuteAndAddress,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: tooMany.status,
                customResponseBodyKey: tooManyRequests,
                responseHeaders: Object.entries({
                  'X-Request-Id': requestId,
                  ...gatewayHeaders(tooMany),
                }).map(([name, value]) => ({ name, value })),
              },
            },
          },
          visibilityConfig: visibility('requests-per-address'),
        },
        managedRules(1, 'AWSManagedRulesAmazonIpReputationList'),
        managedRules(2, 'AWSManagedRulesCommonRuleSet', countedRules),
      ],
    })
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: props.protects.stageArn,
      webAclArn: acl.attrArn,
    })
  }
}

function managedRules(
  priority: number,
  name: string,
  counted: readonly string[] = [],
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ...(counted.length > 0 && {
          ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
        }),
      },
    },
    visibilityConfig: visibility(name),
  }
}

/** Metrics without samples: a sampled request would show its keys and tokens in the console. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false }
}
