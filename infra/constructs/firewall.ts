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

/**
 * The pages for signers and for the verification of sealed files, which need no API key: `/sign/…`, `/verify` and
 * `/api/v1/signing/verify`. Where the stage has no domain, the name of the stage comes first.
 */
const publicSigningPaths = '^(/[a-z]+)?/(sign/.*|verify|api/v1/signing/verify)/?$'

/** A visit takes about thirty requests, with twenty documents. Several who sign may share an address. */
const signingRequestsPerMinuteAndAddress = 200

const tooManyRequests = 'too-many-requests'
const requestId = 'firewall'

/**
 * The web application firewall in front of a stage of the API: a limit per address, a lower one for the public pages of
 * signing, where somebody might guess links or digests, AWS's list of bad addresses and AWS's common rules. WAF cannot fill a request id into its own answer, so the answer holds a constant; the header
 * `x-amzn-requestid` identifies the request.
 */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { name: string; requestsPerMinuteAndAddress: number; protects: Stage },
  ) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'Acl', {
      name: props.name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(props.name),
      customResponseBodies: {
        [tooManyRequests]: {
          contentType: 'APPLICATION_JSON',
          content: errorEnvelope(gatewayAnswers.tooManyFromAddress, requestId),
        },
      },
      rules: [
        limited(0, 'requests-per-address', { limit: props.requestsPerMinuteAndAddress }),
        limited(1, 'signing-requests-per-address', {
          limit: Math.min(signingRequestsPerMinuteAndAddress, props.requestsPerMinuteAndAddress),
          scopeDownStatement: {
            regexMatchStatement: {
              fieldToMatch: { uriPath: {} },
              regexString: publicSigningPaths,
              // The gateway finds the endpoint by the decoded path.
              textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
            },
          },
        }),
        managedRules(2, 'AWSManagedRulesAmazonIpReputationList'),
        managedRules(3, 'AWSManagedRulesCommonRuleSet', countedRules),
      ],
    })
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: props.protects.stageArn,
      webAclArn: acl.attrArn,
    })
  }
}

/** A limit of requests per minute and address; more are refused with 429. */
function limited(
  priority: number,
  name: string,
  rate: Pick<CfnWebACL.RateBasedStatementProperty, 'limit' | 'scopeDownStatement'>,
): CfnWebACL.RuleProperty {
  const { status, ...answer } = gatewayAnswers.tooManyFromAddress
  return {
    name,
    priority,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 60, ...rate } },
    action: {
      block: {
        customResponse: {
          responseCode: status,
          customResponseBodyKey: tooManyRequests,
          responseHeaders: Object.entries({ 'X-Request-Id': requestId, ...gatewayHeaders(answer) }).map(
            ([header, value]) => ({ name: header, value }),
          ),
        },
      },
    },
    visibilityConfig: visibility(name),
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
