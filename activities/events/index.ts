export {
  deliveryActivities,
  deliverySteps,
  type DeliveryActivities,
  type DeliveryDeps,
  type DeliverySteps,
} from './deliver-events.activities.ts';
