<?php
// Older Topupmate-shaped script buying in format B. Airtime and data take `processing` for a sale, data also takes any
// non-empty `error` for a failure; cable, electricity and exams have no word for pending and refund it.

declare(strict_types=1);
require __DIR__ . '/topupmate.php';
[$address, $key, $service, $order] = settings();

function call(string $method, string $path, ?string $body = null): ?object
{
    global $address, $key;
    return sendOlder($method, "$address$path", ['Content-Type: application/json', "Authorization: Token $key"], $body);
}

function common(?object $reply): array
{
    return ['reference' => $reply->ident ?? null, 'balance' => $reply->balance_after ?? null];
}

function concludeTopUp(?object $reply, bool $isErrorRead): never
{
    $hasError = $isErrorRead && isset($reply->error) && $reply->error != '';
    if (!$hasError && isset($reply->Status) && ($reply->Status == 'successful' || $reply->Status == 'processing')) {
        tell('delivered', $reply->api_response, common($reply));
    }
    tell('refunded', strtolower($reply->error[0] ?? $reply->msg ?? ''), common($reply));
}

function conclude(?object $reply, array $details = []): never
{
    if (($reply->Status ?? '') == 'successful' || ($reply->status ?? '') == 'success') {
        tell('delivered', $reply->msg, [...common($reply), ...$details]);
    }
    tell('refunded', $reply->msg ?? null, common($reply));
}

function examPin(?object $reply): string
{
    return $reply->data_pin->pin ?? $reply->pins ?? $reply->pin ?? $reply->token ?? '';
}

switch ($service) {
    case 'airtime':
        concludeTopUp(call('POST', '/api/topup/', '{
            "network": ' . $order['network'] . ',
            "amount": ' . $order['amount'] . ',
            "mobile_number": "' . $order['phone'] . '",
            "Ported_number": true,
            "request-id": "' . $order['id'] . '",
            "airtime_type": "VTU"
        }'), false);
    case 'data':
        concludeTopUp(call('POST', '/api/data/', '{
            "network": ' . $order['network'] . ',
            "mobile_number": "' . $order['phone'] . '",
            "Ported_number": true,
            "request-id": "' . $order['id'] . '",
            "plan": ' . $order['plan'] . '
        }'), true);
    case 'verify-cable':
        // Two ampersands: some copies of this script have them.
        $reply = call('GET', "/api/validateiuc?smart_card_number={$order['iuc']}&&cablename={$order['cable']}");
        ($reply->invalid ?? true) === false ? tell('shown', $reply->name) : tell('refused', $reply->msg ?? null);
    case 'cable':
        conclude(call('POST', '/api/cablesub/', '{
            "cablename": "' . $order['cable'] . '",
            "smart_card_number": "' . $order['iuc'] . '",
            "cableplan": "' . $order['plan'] . '"
        }'));
    case 'verify-meter':
        // The company as a slug and as the configured id at once; the id is what counts.
        $query = "meternumber={$order['meter']}&disconame={$order['disco_name']}&mtype={$order['meter_type']}&disco={$order['disco']}";
        $reply = call('GET', "/api/validatemeter?$query");
        $name = $reply->Customer_Name ?? $reply->name ?? $reply->message->details->customer_name ?? null;
        $name !== null ? tell('shown', $name) : tell('refused', $reply->msg ?? null);
    case 'electricity':
        $reply = call('POST', '/api/billpayment/', '{
            "disco_name": "' . $order['disco'] . '",
            "meter_number": "' . $order['meter'] . '",
            "MeterType": "' . $order['meter_type'] . '",
            "amount": "' . $order['amount'] . '"
        }');
        conclude($reply, ['token' => $reply->token ?? null]);
    case 'exam':
        $reply = call('POST', '/api/epin/', '{
            "exam_name": "' . $order['exam'] . '",
            "quantity": "' . $order['quantity'] . '"
        }');
        conclude($reply, ['pins' => explode(',', examPin($reply))]);
    case 'data-pin':
        // The branch for token sites: no PIN of the reply is read, so a card that is sold here is lost.
        $reply = call('POST', '/api/datapin/', '{
            "network": "' . $order['network'] . '",
            "mobile_number": "",
            "request-id": "' . $order['id'] . '",
            "plan": "' . $order['plan'] . '"
        }');
        conclude($reply);
    case 'recharge-card':
    case 'recharge-card-objects':
        $reply = call('POST', '/api/rechargepin/', '{
            "network": "' . $order['network'] . '",
            "network_amount": "' . $order['amount'] . '",
            "quantity": "' . $order['quantity'] . '",
            "name_on_card": "' . $order['card_name'] . '"
        }');
        if ($service === 'recharge-card-objects') {
            // Two copies take each card out of an object in `data_pin`, and print nothing else.
            if ($reply->Status != 'successful' && $reply->status != 'processing') {
                tell('refunded', $reply->status == 'fail' ? $reply->msg : null, common($reply));
            }
            $cards = ['pins' => [], 'serials' => [], 'load_pin' => $reply->data_pin[0]->fields->load_code];
            foreach ($reply->data_pin as $card) {
                $cards['pins'][] = $card->fields->pin;
                $cards['serials'][] = $card->fields->serial;
            }
            tell('delivered', $reply->msg, [...common($reply), ...$cards]);
        }
        if (($reply->status ?? '') == 'success' || ($reply->status ?? '') == 'processing') {
            tell('delivered', $reply->msg, [...common($reply), 'pins' => explode(',', $reply->pin), 'serials' => explode(',', $reply->serial)]);
        }
        tell('refunded', $reply->msg ?? null, common($reply));
}
