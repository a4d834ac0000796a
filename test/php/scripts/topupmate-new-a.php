<?php
// Newer Topupmate-shaped script buying in format A: an empty POST to log in, JSON from an array, three words for pending.
// It reads `Status` in lower case if there is one, else `status`; exams and cards have no pending.

declare(strict_types=1);
require __DIR__ . '/topupmate.php';
[$address, $key, $service, $order] = settings();

function call(string $method, string $path, string $authorization, ?array $fields = null): ?array
{
    global $address;
    return sendNewer($method, "$address$path", $authorization, $fields);
}

function buy(string $path, array $fields): ?array
{
    global $key;
    $login = call('POST', '/api/user/', 'Basic  ' . base64_encode($key));
    // The wallet is shown with two places: a text with commas would be the end of this script.
    number_format((float) $login['user']['wallet'], 2);
    return call('POST', $path, 'Token ' . $login['AccessToken'], $fields);
}

function conclude(?array $reply, array $details = [], bool $hasPending = true): never
{
    $common = ['reference' => $reply['transid'] ?? null, 'balance' => $reply['newbal'] ?? null];
    concludeNewer($reply, $common, $details, $hasPending);
}

switch ($service) {
    case 'airtime':
        conclude(buy('/api/topup/', [
            'network' => (string) $order['network'],
            'amount' => (float) $order['amount'],
            'phone' => $order['phone'],
            'bypass' => false,
            'request-id' => $order['id'],
            'plan_type' => 'VTU',
        ]));
    case 'data':
        conclude(buy('/api/data/', [
            'network' => (string) $order['network'],
            'phone' => $order['phone'],
            'bypass' => true,
            'request-id' => $order['id'],
            'data_plan' => (string) $order['plan'],
        ]));
    case 'verify-meter':
        // A GET whose body belongs to another form.
        $query = "meter_type={$order['meter_type']}&disco={$order['disco']}&meter_number={$order['meter']}";
        $reply = call('GET', "/api/bill/bill-validation?$query", 'Basic  ' . base64_encode($key), [
            'meter_number' => $order['meter'],
            'meter_type' => $order['meter_type'],
            'amount' => '1000',
            'service' => $order['disco'],
        ]);
        $name = $reply['Customer_Name'] ?? $reply['name'] ?? null;
        $name !== null ? tell('shown', $name) : tell('refused', $reply['msg'] ?? null);
    case 'cable':
        $reply = buy('/api/cable/', [
            'cable' => $order['cable'],
            'iuc' => $order['iuc'],
            'cable_plan' => $order['plan'],
            'bypass' => true,
            'request-id' => $order['id'],
        ]);
        if (in_array(strtolower($reply['Status'] ?? $reply['status'] ?? ''), ['failed', 'fail'], true)) {
            // Two of three copies ask an object for the text as if it were an array: PHP ends them here, and nobody is refunded.
            $object = (object) $reply;
            isset($object['msg']);
        }
        conclude($reply);
    case 'electricity':
        $reply = buy('/api/bill/', [
            'disco' => $order['disco'],
            'meter_type' => $order['meter_type'],
            'meter_number' => $order['meter'],
            'bypass' => true,
            'request-id' => $order['id'],
            'amount' => $order['amount'],
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        $reply = buy('/api/exam/', ['exam' => $order['exam'], 'quantity' => $order['quantity']]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? '')], false);
    case 'recharge-card':
    case 'data-card':
        $reply = buy($service === 'data-card' ? '/api/data_card' : '/api/recharge_card/', [
            'network' => $order['network'],
            'card_name' => $order['card_name'],
            'request-id' => $order['id'],
            'quantity' => $order['quantity'],
            'plan_type' => $order['plan'] ?? $order['amount'],
        ]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? ''), 'request_id' => $reply['ref'] ?? null], false);
}
